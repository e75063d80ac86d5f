import { hourMs } from '#domain/time.ts'
import { tabStorage } from './storage.ts'
import { answersKey, forgetAnswers, storedUser } from './tokens.ts'

const maxAgeMs = hourMs

type Answer = [queryKey: readonly unknown[], data: unknown]
type Kept = { userId: string; at: number; answers: Answer[] }

/** The last answers of this tab to the user who is signed in, at most an hour old. Others are deleted. */
export function keptAnswers(): Answer[] {
  const text = tabStorage.get(answersKey)
  if (text === null) return []
  const kept = JSON.parse(text) as Kept
  if (kept.userId === storedUser()?.id && Date.now() - kept.at <= maxAgeMs) return kept.answers
  forgetAnswers()
  return []
}

export function storeAnswers(userId: string, answers: Answer[]): void {
  tabStorage.set(answersKey, JSON.stringify({ userId, at: Date.now(), answers } satisfies Kept))
}
