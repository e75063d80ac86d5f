const key = 'first_steps'

/** Whether the first steps were shown in this browser and are not over: only then do other pages show the next one. */
export const isOnFirstSteps = () => localStorage.getItem(key) !== null

export function markFirstSteps(isOn: boolean): void {
  if (isOn) localStorage.setItem(key, 'true')
  else localStorage.removeItem(key)
}
