export const url = `${API}/entity_facts?select=id,data_type&data_type=eq.permanent`;
