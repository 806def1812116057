/**
 * The last segment of the address of a page beside trading, such as `portfolio`. The name of a market has other
 * characters.
 */
export const PAGE_SEGMENT = /^[a-z]{1,20}$/
