import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { readText } from '#domain/readers/text.ts'
import { nextRepeat, type Repeat, repeats } from '#domain/runs/repeat.ts'
import { reasonText, runTitle } from '#domain/runs/texts.ts'
import { Amount } from '#web/components/Amount.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { controlClass, Field } from '#web/components/Field.tsx'
import { FormDialog, formResolver, PasswordField, SelectField, TextField } from '#web/components/forms.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { formatLongDate, plural } from '#web/lib/format.ts'
import { approveRun, createRun, denyRun, type Run, repeatRun, stopRun } from '#web/queries/runs.ts'
import { walletsQuery } from '#web/queries/wallets.ts'
import { WalletField } from '../-send/WalletField.tsx'
import { titleProblem } from './newRun.ts'
import { againText, runPath, totalOf } from './words.ts'

type Props = { run: Run; onClose: () => void }

/** Closes the dialog of a decision that came too late: the page behind it says what has happened. */
const orLate = (onClose: () => void) => (error: unknown) => {
  if (error instanceof ApiError && error.status === 409) return onClose()
  throw error
}

const passwordResolver = formResolver<{ password: string }>(({ password }) => ({
  password: password ? null : 'Please enter your password',
}))

export function ApproveDialog({ run, onClose }: Props) {
  const form = useForm({ resolver: passwordResolver, defaultValues: { password: '' } })
  const title = `Approve ${totalOf(run)}`
  return (
    <FormDialog
      title={title}
      subject={run.id}
      description={`${run.sentence}. Amounts above your limit require the password.`}
      form={form}
      onClose={onClose}
      submit={[title, 'Approving...']}
      send={({ password }) => approveRun(run.id, { hash: run.hash!, password }).then(onClose, orLate(onClose))}
      fallback="The run could not be approved. Please try again."
      unknown="It is not known whether it was approved. Try again: nothing is paid twice."
    >
      <PasswordField form={form} name="password" label="Password" autoComplete="current-password" />
    </FormDialog>
  )
}

const reasonResolver = formResolver<{ reason: string }>(({ reason }) => {
  const read = reason.trim() ? readText(reasonText, reason) : null
  return { reason: read && 'problem' in read ? read.problem : null }
})

export function DenyDialog({ run, onClose }: Props) {
  const form = useForm({ resolver: reasonResolver, defaultValues: { reason: '' } })
  return (
    <FormDialog
      title="Deny this run?"
      subject={run.id}
      description="Nothing of it is paid. Whoever made it reads the reason here and in an email."
      form={form}
      onClose={onClose}
      submit={['Deny', 'Denying...']}
      send={({ reason }) =>
        denyRun(run.id, { hash: run.hash!, ...(reason.trim() && { reason: reason.trim() }) }).then(
          onClose,
          orLate(onClose),
        )
      }
      fallback="The run could not be denied. Please try again."
    >
      <Field label="Reason (optional)" error={form.formState.errors.reason?.message}>
        {(control) => (
          <textarea
            {...control}
            {...form.register('reason')}
            rows={3}
            maxLength={reasonText.max}
            className={`${controlClass} h-24! py-2`}
          />
        )}
      </Field>
    </FormDialog>
  )
}

export const CancelDialog = ({ run, onClose }: Props) => (
  <ConfirmDialog
    title="Cancel this run?"
    confirm={['Cancel run', 'Cancelling...']}
    keep="Keep run"
    danger
    act={() => stopRun(run.id)}
    done="Run cancelled"
    fallback="The run could not be cancelled. Please try again."
    onClose={onClose}
  >
    <p>Nothing of “{run.title}” is paid. The same file can be uploaded again.</p>
  </ConfirmDialog>
)

export function StopDialog({ run, onClose }: Props) {
  const { onTheirWay, waiting } = run
  return (
    <ConfirmDialog
      title="Stop this run?"
      confirm={['Stop run', 'Stopping...']}
      danger
      act={() => stopRun(run.id)}
      done="Run stopped"
      fallback="The run could not be stopped. Please try again."
      onClose={onClose}
    >
      <p>
        {onTheirWay.rows === 0
          ? 'No payment is on its way at the moment.'
          : `${plural(onTheirWay.rows, 'payment is on its way', 'payments are on their way')} and will still be paid.`}
      </p>
      <p>
        {plural(waiting.rows, 'row that waits is', 'rows that wait are')} not paid, and{' '}
        <Amount value={waiting.amount} chain={run.wallet.chain} /> can be spent again.
        {waiting.rows > 0 && <span> Rows that are not paid can be paid later by a new run.</span>}
      </p>
    </ConfirmDialog>
  )
}

const again = ', again'
const againTitle = (title: string) =>
  title.length + again.length > runTitle.max ? title : title.endsWith(again) ? title : title + again

export function PayAgainDialog({ run, onClose }: Props) {
  const form = useForm({
    resolver: formResolver<{ title: string; walletId: string }>(({ title, walletId }) => ({
      title: titleProblem(title),
      walletId: walletId ? null : 'Select a wallet',
    })),
    defaultValues: { title: againTitle(run.title), walletId: run.wallet.id },
  })
  const wallets = useQuery(walletsQuery)
  const navigate = useNavigate()
  return (
    <FormDialog
      title={againText(run)}
      subject={run.id}
      description="They become a new run, which is checked and decided like any other. Nobody who was paid is in it."
      form={form}
      onClose={onClose}
      submit={['Check the rows', 'Creating...']}
      send={async ({ title, walletId }, key) => {
        const made = await createRun({ title: title.trim(), walletId, failedOf: run.id }, key)
        await navigate({ to: runPath(made.id) })
      }}
      fallback="The run could not be made. Please try again."
      unknown="It is not known whether the run was made. Try again: it is made once."
    >
      <TextField form={form} name="title" label="Title" maxLength={runTitle.max} />
      <WalletField form={form} wallets={wallets} />
    </FormDialog>
  )
}

const everyText: Record<Repeat, string> = { week: 'Every week', month: 'Every month' }
const maxTimes = 12
const timesOf = (text: string) => (/^\d{1,2}$/.test(text.trim()) ? Number(text) : 0)

export function RepeatDialog({ run, onClose }: Props) {
  const form = useForm<{ every: Repeat; times: string }>({
    resolver: formResolver(({ times }) => ({
      times: timesOf(times) >= 1 && timesOf(times) <= maxTimes ? null : `Please enter a number from 1 to ${maxTimes}`,
    })),
    defaultValues: { every: 'month', times: String(maxTimes) },
  })
  const { every } = form.watch()
  const firstAt = nextRepeat(Date.now(), every, Date.now())
  return (
    <FormDialog
      title="Repeat this run"
      subject={run.id}
      description="The same rows are checked again each time, and each time somebody has to approve them."
      form={form}
      onClose={onClose}
      submit={['Repeat', 'Saving...']}
      send={({ every, times }) => repeatRun(run.id, { repeat: { every, times: timesOf(times) } }).then(onClose)}
      fallback="This could not be saved. Please try again."
    >
      <SelectField
        form={form}
        name="every"
        label="How often"
        choices={repeats.map((value) => [value, everyText[value]])}
      />
      <TextField
        form={form}
        name="times"
        label="How many times"
        inputMode="numeric"
        autoComplete="off"
        hint={`At most ${maxTimes}. The first one is made on ${formatLongDate(new Date(firstAt).toISOString())}.`}
      />
    </FormDialog>
  )
}

export const EndRepeatDialog = ({ run, onClose }: Props) => (
  <ConfirmDialog
    title="End repeating?"
    confirm={['End repeating', 'Saving...']}
    act={() => repeatRun(run.id, { repeat: null })}
    done="The run is not made again"
    fallback="This could not be saved. Please try again."
    onClose={onClose}
  >
    <p>“{run.title}” is not made again. Runs that it made already stay as they are.</p>
  </ConfirmDialog>
)
