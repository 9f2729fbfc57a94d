const q = gql`query { facts { data_type } }`;
const re = /data_type/;
