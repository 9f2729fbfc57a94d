export const help = 'Select the data_type you want from the list';
