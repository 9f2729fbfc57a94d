#!/bin/bash
mysql -N shop -e "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema='shop'"
psql -c "SELECT attribute, data_type FROM product_attributes WHERE data_type <> 'text'" shop
# no data_type of ours in here
