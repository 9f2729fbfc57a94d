#!/usr/bin/env bash
if grep -rnw 'data_type' --include='*.py' src/; then
  exit 1
fi
