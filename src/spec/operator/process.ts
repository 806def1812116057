/** Names the process that answers an act: its id and where its records are, as a query string. */
export const PROCESS_HEADER = 'x-prepd-process'
