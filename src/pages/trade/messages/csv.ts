/** The notices about rows that are saved as a CSV file. */
export const CSV_TEXTS = {
  saved: 'Rows saved: {count}.',
  part: 'Rows saved: {count} of the latest {read}. The venue has older rows that this file does not include.',
  none: 'There are no rows to save yet.',
} as const
