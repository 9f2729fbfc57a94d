defmodule Memory.Fact do
  use Ecto.Schema
  schema "entity_facts" do
    field :data_type, :string
  end

  def durable do
    from f in "entity_facts",
      where: f.data_type == "permanent", select: f.data_type
  end
end
