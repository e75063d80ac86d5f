import { hourMs } from '#domain/time.ts'
import { actingFor } from './actingFor.ts'
import { tabStorage } from './storage.ts'
import { answersKey, forgetAnswers, storedUser } from './tokens.ts'

const maxAgeMs = hourMs

type Answer = [queryKey: readonly unknown[], data: unknown]
type Kept = { userId: string; accountId: string; at: number; answers: Answer[] }

/** The last answers of this tab to the user who is signed in, about the account on screen, at most an hour old. Others are deleted. */
export function keptAnswers(): Answer[] {
  const text = tabStorage.get(answersKey)
  if (text === null) return []
  const kept = JSON.parse(text) as Kept
  const userId = storedUser()?.id
  const isTheirs = kept.userId === userId && kept.accountId === (actingFor()?.id ?? userId)
  if (isTheirs && Date.now() - kept.at <= maxAgeMs) return kept.answers
  forgetAnswers()
  return []
}

export function storeAnswers(userId: string, accountId: string, answers: Answer[]): void {
  tabStorage.set(answersKey, JSON.stringify({ userId, accountId, at: Date.now(), answers } satisfies Kept))
}
