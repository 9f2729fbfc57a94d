curl -s "$URL" | jq -r '.[].data_type'
