const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
]

/** A UTC day: 'November 20', or 'November 20, 2027' if it is not of the year of `now` (ms). */
export function dayText(at: number, now: number): string {
  const [day, today] = [new Date(at), new Date(now)]
  const text = `${months[day.getUTCMonth()]} ${day.getUTCDate()}`
  return day.getUTCFullYear() === today.getUTCFullYear() ? text : `${text}, ${day.getUTCFullYear()}`
}
