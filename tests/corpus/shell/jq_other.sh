#!/bin/bash
curl -fsS "https://api.example.org/v1/datasets/$1/columns" \
  | jq -r '.columns[] | "\(.name)\t\(.data_type)"' > columns.tsv
