import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { FormDialog, formResolver, PasswordField } from '#web/components/forms.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { passwordPrompt } from '#web/lib/passwordPrompt.ts'

type Question = {
  /** Differs for each question, so that none begins with the password that was typed for another. */
  id: string
  /** Why the call needs the password. */
  reason: string
  /** Repeats the call that needed the password. Throws if the password is wrong. */
  repeat: (password: string) => Promise<void>
  cancel: () => void
}

/** Lets any call of the screens below ask for the password; one after the other if several do. */
export default function PasswordPrompt() {
  const [question, setQuestion] = useState<Question | null>(null)
  useEffect(() => {
    const askNow = <T,>(reason: string, send: (password: string) => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const close = () => setQuestion(null)
        /** A repeat was sent, and its outcome is not known. */
        let isSent = false
        setQuestion({
          id: crypto.randomUUID(),
          reason,
          async repeat(password) {
            isSent = true
            try {
              resolve(await send(password))
            } catch (error) {
              if (error instanceof ApiError && error.field === 'password') {
                isSent = false
                throw error
              }
              reject(error)
            }
            close()
          },
          cancel() {
            close()
            reject(isSent ? new ApiError(0, 'no_reply', noReply) : new ApiError(422, 'password_required', notDone))
          },
        })
      })
    let last: Promise<unknown> = Promise.resolve()
    passwordPrompt.run = (call) =>
      call().catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'password_required') throw error
        const answer = last.then(() => askNow(error.message, (password) => call({ password })))
        last = answer.catch(() => null)
        return answer
      })
    return () => {
      passwordPrompt.run = null
    }
  }, [])
  return question && <PasswordDialog key={question.id} {...question} />
}

const notDone = 'This needs your password. Nothing was changed.'
const noReply = 'The server has not replied yet, so it is not known whether this was done.'

const resolver = formResolver<{ password: string }>(({ password }) => ({
  password: password ? null : 'Please enter your password',
}))

function PasswordDialog({ reason, repeat, cancel }: Question) {
  const form = useForm({ resolver, defaultValues: { password: '' } })
  return (
    <FormDialog
      title="Enter your password"
      subject={null}
      // The server's sentence begins with what the title says.
      description={reason.replace(/^Enter your password: (.)/, (_, first: string) => first.toUpperCase())}
      form={form}
      onClose={cancel}
      submit={['Continue', 'Checking...']}
      send={({ password }) => repeat(password)}
      fallback="The password could not be checked. Please try again."
    >
      <PasswordField form={form} name="password" label="Password" autoComplete="current-password" />
    </FormDialog>
  )
}
