<?php
$rows = $db->query("
    SELECT data_type
    FROM entity_facts
    WHERE id = {$id}
");
echo $rows[0]['data_type'];
