/** The header of every answer in front of a virtual clock: the venue's time when it was answered, in ms. */
export const VENUE_TIME_HEADER = 'x-prepd-venue-time'
