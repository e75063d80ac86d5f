import { browserStorage } from './storage.ts'

const key = 'first_steps'

/** Whether the first steps were shown in this browser and are not over: only then do other pages show the next one. */
export const isOnFirstSteps = () => browserStorage.get(key) !== null

export function markFirstSteps(isOn: boolean): void {
  if (isOn) browserStorage.set(key, 'true')
  else browserStorage.remove(key)
}
