Remember to look at data_type one day.
