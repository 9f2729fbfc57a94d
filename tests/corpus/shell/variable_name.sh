#!/bin/sh
data_type=$(file --brief --mime-type "$1")
case "${data_type}" in
  text/*) iconv -f "$2" -t utf-8 "$1" ;;
  *) echo "unsupported" >&2; exit 1 ;;
esac
