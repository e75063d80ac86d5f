import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { Button } from '#web/components/Button.tsx'
import { TextLink } from '#web/components/Links.tsx'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { type Confirmation, confirmByLink } from '#web/queries/account.ts'
import { BackToSignIn, Heading, LinkProblem } from './AccountPage.tsx'

/** Confirms an email address by an emailed link. Only the button confirms, so prefetching the link changes nothing. */
export function ConfirmByLink(props: { token: string; onConfirmed: (confirmation: Confirmation) => void }) {
  const { form, busy, general, code } = useAccountForm(
    {},
    {
      check: () => null,
      send: async () => props.onConfirmed(await confirmByLink(props.token)),
      fallback: ['Email confirmation failed.', 'Email confirmation failed'],
    },
  )

  return (
    <AccountFrame>
      <Heading title="Confirm your email">Did you sign up with the email address that got this link?</Heading>
      <form {...form} className="mt-5 space-y-4">
        <LinkProblem message={general} code={code}>
          <TextLink to="/confirm">Ask for a new link</TextLink>
        </LinkProblem>
        <Button type="submit" busy={busy} className="w-full">
          {busy ? 'Confirming...' : 'Confirm Email'}
        </Button>
      </form>
      <BackToSignIn />
    </AccountFrame>
  )
}
