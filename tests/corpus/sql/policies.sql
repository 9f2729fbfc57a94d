CREATE POLICY public_facts ON entity_facts FOR SELECT
USING (data_type <> 'identity')
WITH CHECK (data_type IS NOT NULL);
CREATE POLICY own_sensors ON sensors USING (data_type = current_user);
