import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { masterPasswordProblem } from '#domain/walletRules.ts'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { FormDialog, formResolver, PasswordField } from '#web/components/forms.tsx'
import { SecretCopyButton } from '#web/components/SecretCopyButton.tsx'
import { viewPrivateKey, walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from './walletSearch.ts'

type Values = { masterPassword: string }
const resolver = formResolver<Values>(({ masterPassword }) => ({
  masterPassword: masterPasswordProblem(masterPassword),
}))

/** Shows the key of an imported wallet to a user who knows its master password. Only this dialog holds the key. */
export default function ViewKeyDialog(props: WalletDialogProps) {
  const { wallet, onClose } = props
  const [privateKey, setPrivateKey] = useState<string | null>(null)
  const form = useForm<Values>({ resolver, defaultValues: { masterPassword: '' } })

  // Closes when the user switches to another window, where others may see the screen.
  useEffect(() => {
    if (privateKey === null) return
    addEventListener('blur', onClose)
    return () => removeEventListener('blur', onClose)
  }, [privateKey, onClose])

  if (privateKey !== null)
    return (
      <Dialog
        title="Private Key"
        description="Anyone who has this key owns the money. This closes when you switch to another window."
        onClose={onClose}
        footer={
          <>
            <SecretCopyButton text={privateKey} what="private key" />
            <Button onClick={onClose}>Done</Button>
          </>
        }
      >
        <p translate="no" data-testid="private-key" className="break-all rounded-control bg-sunken px-4 py-3 font-mono">
          {privateKey}
        </p>
      </Dialog>
    )
  return (
    <FormDialog
      title="View Private Key"
      subject={wallet.id}
      description={`Enter the master password that you set when you added ${walletName(wallet)}.`}
      form={form}
      onClose={onClose}
      submit={['View Private Key', 'Opening...']}
      send={async ({ masterPassword }) => setPrivateKey(await viewPrivateKey(wallet.id, masterPassword))}
      fallback="Failed to retrieve private key. Please check your master password."
    >
      <PasswordField
        form={form}
        name="masterPassword"
        label="Master password"
        hint="After five wrong tries viewing is locked for 15 minutes."
        what="master password"
        autoComplete="off"
      />
    </FormDialog>
  )
}
