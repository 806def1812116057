/** How many days are kept, the oldest going first. */
const DAYS_MAX = 400

/** The newest day; a new one begins when that is over. */
export function dayOf<Day extends { readonly day: number }>(
  days: Day[],
  day: number,
  begin: (day: number) => Day,
): Day {
  const newest = days.at(-1)
  if (newest?.day === day) return newest
  const today = begin(day)
  days.push(today)
  if (days.length > DAYS_MAX) days.shift()
  return today
}
