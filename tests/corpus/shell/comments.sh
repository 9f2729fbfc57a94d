#!/bin/bash
# the data_type of entity_facts
echo "Updating data_type of entity_facts..."
echo "no data_type" >&2
printf 'data_type: %s\n' "$x"
