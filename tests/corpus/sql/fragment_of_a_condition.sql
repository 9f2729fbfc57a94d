WHERE data_type = 'permanent'
  AND f.data_type IS NOT NULL
