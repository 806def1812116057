/** The id of a request in its answer, its log lines and its trace; a proxy may give it. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** Marks an answer that was given before to the same write. */
export const REPLAY_HEADER = 'x-prepd-replay'

/** Marks every answer in front of a practice venue with its kind. */
export const VENUE_HEADER = 'x-prepd-venue'

/** Header of every answer with a virtual clock: the venue's time of the answer, in ms. */
export const VENUE_TIME_HEADER = 'x-prepd-venue-time'
