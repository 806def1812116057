/** Header of every answer with a virtual clock: the venue's time of the answer, in ms. */
export const VENUE_TIME_HEADER = 'x-prepd-venue-time'
