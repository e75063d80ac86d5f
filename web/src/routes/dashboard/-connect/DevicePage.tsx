import { useNavigate } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { formResolver, TextField } from '#web/components/forms.tsx'
import { useAction } from '#web/lib/useAction.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { enterDeviceCode } from '#web/queries/connections.ts'
import { other } from '../../-shell/pages.ts'

const resolver = formResolver<{ userCode: string }>(({ userCode }) => ({
  userCode: userCode.trim() ? null : 'Please enter the code',
}))

/** Asks for the code that a device shows; the consent page does the rest. */
export default function DevicePage() {
  useTitle('Connect a device')
  const navigate = useNavigate()
  const form = useForm({ resolver, defaultValues: { userCode: '' } })
  const enter = useAction(({ userCode }: { userCode: string }) => enterDeviceCode(userCode.trim()), {
    fallback: 'The code could not be checked. Please try again.',
    onDone: ({ requestId }) => navigate({ to: other('connect'), search: { request: requestId } as never }),
    onFailed(_, message) {
      form.setError('userCode', { message }, { shouldFocus: true })
      return true
    },
  })
  return (
    <div className="mx-auto max-w-[440px]">
      <Card aria-labelledby="device-title" className="p-5">
        <h1 id="device-title" className="font-semibold text-title">
          Connect a device
        </h1>
        <p className="mt-1 text-muted">
          Type the code that Bursar’s command line shows. Type only a code from a device in front of you, never one that
          someone sent you.
        </p>
        <form noValidate onSubmit={form.handleSubmit((values) => enter.start(values))} className="mt-5 space-y-4">
          {enter.problem && <ErrorBox>{enter.problem}</ErrorBox>}
          <TextField
            form={form}
            name="userCode"
            label="Code"
            maxLength={40}
            placeholder="ABCD-EFGH"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="h-14! text-center font-mono text-[24px]! uppercase tracking-[0.2em]"
          />
          <Button type="submit" busy={enter.busy} className="w-full">
            Continue
          </Button>
        </form>
      </Card>
    </div>
  )
}
