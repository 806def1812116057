/** The notices about rows that are saved as a CSV file. */
export const CSV_TEXTS = {
  saved: 'Rows saved: {count}.',
  part: 'Rows saved: the latest {count}. There are more than are read at once.',
  none: 'There are no rows to save yet.',
} as const
