// RecordLog
