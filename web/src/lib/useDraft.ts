import { useEffect, useEffectEvent } from 'react'
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { actingFor } from './actingFor.ts'
import { getSession } from './session.ts'
import { tabStorage } from './storage.ts'

/**
 * Text that was typed but not sent when the session ended. It waits in this tab until its owner has signed in again and
 * opens the same form about the same subject. Passwords, keys and codes are never kept.
 */
type Draft = { userId: string; accountId: string; form: string; subject: string | null; values: Record<string, string> }

const storageKey = 'unsaved_text'
const isSecret = (field: string) => /password|key|secret|code|phrase|token|words/i.test(field)

/** Texts that differ from those that the form began with. */
function changedTexts(values: FieldValues, initial: FieldValues): Record<string, string> {
  const texts = Object.entries(values).filter(
    ([field, value]) => typeof value === 'string' && value !== (initial[field] ?? '') && !isSecret(field),
  )
  return Object.fromEntries(texts)
}

const accountNow = (userId: string | undefined) => actingFor()?.id ?? userId ?? ''

function takeDraft(form: string, subject: string | null): Draft['values'] | null {
  const stored = tabStorage.get(storageKey)
  if (stored === null) return null
  const draft = JSON.parse(stored) as Draft
  const userId = getSession().user?.id
  const isOwn = draft.userId === userId
  const isHere = draft.accountId === accountNow(userId) && draft.form === form && draft.subject === subject
  if (isOwn && !isHere) return null
  tabStorage.remove(storageKey)
  return isOwn ? draft.values : null
}

/** Keeps the texts if the session ends while the component is shown. `form` names the form, `subject` what it is about. */
export function useKeptDraft(
  form: string,
  subject: string | null,
  read: () => { values: FieldValues; initial: FieldValues },
): void {
  const readNow = useEffectEvent(read)
  useEffect(() => {
    const userId = getSession().user?.id
    const keep = () => {
      const { values, initial } = readNow()
      const texts = changedTexts(values, initial)
      if (!userId || Object.keys(texts).length === 0) return
      const draft: Draft = { userId, accountId: accountNow(userId), form, subject, values: texts }
      tabStorage.set(storageKey, JSON.stringify(draft))
    }
    addEventListener('session-expired', keep)
    return () => removeEventListener('session-expired', keep)
  }, [form, subject])
}

/** Keeps the form's texts if the session ends, and puts them back when the form is opened again. */
export function useDraft<T extends FieldValues>(name: string, subject: string | null, form: UseFormReturn<T>): void {
  useKeptDraft(name, subject, () => ({ values: form.getValues(), initial: form.formState.defaultValues ?? {} }))
  const { setValue } = form
  useEffect(() => {
    const texts = takeDraft(name, subject)
    if (texts === null) return
    for (const [field, text] of Object.entries(texts))
      setValue(field as Path<T>, text as PathValue<T, Path<T>>, { shouldDirty: true })
    toast.success('Your unsaved text is back.')
  }, [name, subject, setValue])
}
