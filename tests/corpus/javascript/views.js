export const page = html`<td>${fact.data_type}</td><!-- entity_facts data_type -->`;
