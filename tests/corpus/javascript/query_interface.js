module.exports = {
  up: (queryInterface, Sequelize) => queryInterface.addColumn('entity_facts', 'data_type', Sequelize.STRING),
  down: (queryInterface) => queryInterface.removeColumn('entity_facts', 'data_type'),
};
