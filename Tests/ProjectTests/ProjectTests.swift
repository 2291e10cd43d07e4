// ProjectTests: what holds for the project as a whole. Its sources keep to the arrows of DESIGN.md and to its habits
// (`TidyRule`, `ModuleTable`), every topic of the contract has a schema, and the parts that tests share work.
