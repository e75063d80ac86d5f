const momentFormat = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})

/** 'Sat, Nov 21, 2026, 11:59 AM UTC': local time with its zone, for deadlines and facts. */
export const formatMoment = (at: string | number) =>
  // No line ends inside the time.
  momentFormat.format(new Date(at)).replace(/ (.M) /, '\u00a0$1\u00a0')
