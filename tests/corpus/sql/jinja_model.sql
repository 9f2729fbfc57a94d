{{ config(materialized='view') }}
select f.id, f.data_type
from {{ ref('entity_facts') }} as f
{% if is_incremental() %}
where f.data_type is not null
{% endif %}
