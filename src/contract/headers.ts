/** The id of a request in its answer, log lines and trace; a proxy may set it. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** Marks a replayed answer to a repeated write. */
export const REPLAY_HEADER = 'x-prepd-replay'

/** Names the kind of a practice venue in every answer. */
export const VENUE_HEADER = 'x-prepd-venue'

/** On a virtual clock, the venue's time of every answer, in ms. */
export const VENUE_TIME_HEADER = 'x-prepd-venue-time'
