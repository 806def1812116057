/** Names the process that answers an act: its id and where its records are, as a query string. */
export const PROCESS_HEADER = 'x-prepd-process'
/** The file of a data directory whose time is that of the last backup. */
export const BACKUP_MARK = 'prepd.backup'
