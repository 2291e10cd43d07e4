// Inspection: what an operator may ask about the topics, answered from records alone: lists with filters, dead letters
// and what was done with them, and why a timeline is as it is.
//
// It must not know a broker, a terminal or a clock: records and instants are handed in, rows and sentences come out. It
// decides nothing about timelines; it repeats what the rules say about records that are committed.
//
// Begin with `InspectedRow`, which every list is made of, and `RowFilter`, which chooses among rows. The folder `Lists`
// has one type for each list, `DeadLetters` the dead letters and the marks of operations, and `Explaining` the reasons
// for an entry. `SecretMask` stands before everything that is shown. `NearIds` and `KnownApplications` say what was
// probably meant by an id that nothing has.
