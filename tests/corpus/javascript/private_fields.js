class Fact { // entity_facts
  #data_type = null;
  get data_type() { return this.#data_type; }
  set data_type(value) { this.#data_type = value; }
}
