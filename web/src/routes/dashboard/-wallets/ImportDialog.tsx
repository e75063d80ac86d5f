import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { privateKeyToAddress } from 'viem/accounts'
import { chainIdOf } from '#domain/networks.ts'
import { problemIn, valueIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import { readAddress } from '#domain/validators.ts'
import { masterPasswordProblem, walletName as nameRule, privateKeyOf, privateKeyProblem } from '#domain/walletRules.ts'
import { FormDialog, formResolver, PasswordField, SelectField, TextField } from '#web/components/forms.tsx'
import { importWallet, type Wallet, walletName } from '#web/queries/wallets.ts'
import { creationProblem } from './walletProblems.ts'

type Values = {
  name: string
  chain: Wallet['chain']
  privateKey: string
  address: string
  masterPassword: string
}

const typedAddress = ({ address, chain }: Values) => readAddress(address, chainIdOf(chain))

const resolver = formResolver<Values>((values) => ({
  name: problemIn(readText(nameRule, values.name)),
  privateKey: privateKeyProblem(values.privateKey),
  address: problemIn(typedAddress(values)),
  masterPassword: masterPasswordProblem(values.masterPassword),
}))

/** Adds an existing wallet. Its key is sent once and stored encrypted, so that agents can pay from the wallet. */
export default function ImportDialog(props: { onClose: () => void }) {
  const form = useForm<Values>({
    resolver,
    defaultValues: { name: '', chain: 'base', privateKey: '', address: '', masterPassword: '' },
  })
  const { dirtyFields } = form.formState

  /** Fills in the address of the key, unless an address was typed by hand. */
  function fillAddress(text: string) {
    if (dirtyFields.address || privateKeyProblem(text)) return
    try {
      form.setValue('address', privateKeyToAddress(privateKeyOf(text)), { shouldValidate: true })
    } catch {
      // Zero or too large to be a key: the server refuses it with a message for this field.
    }
  }

  return (
    <FormDialog
      title="Add Wallet"
      subject={null}
      description="Add a wallet that you already have. Only ordinary accounts with a private key can be added."
      form={form}
      onClose={props.onClose}
      submit={['Add Wallet', 'Adding...']}
      send={async (values, idempotencyKey) => {
        const wallet = await importWallet(
          { ...values, name: values.name.trim(), address: valueIn(typedAddress(values)) ?? values.address },
          idempotencyKey,
        )
        toast.success(`${walletName(wallet)} was added.`)
        props.onClose()
      }}
      fallback={(error) => creationProblem(error, 'Failed to create wallet. Please try again or contact support.')}
    >
      <p className="rounded-control bg-amber-tint px-3 py-2 text-amber text-small">
        We keep this key, encrypted, to sign payments within your policies. It can move everything in the wallet. For
        money that only you can move without limit, deploy a smart wallet instead.
      </p>
      <TextField
        form={form}
        name="name"
        label="Wallet name"
        aside="Optional"
        autoComplete="off"
        placeholder="Treasury"
      />
      <SelectField
        form={form}
        name="chain"
        label="Network"
        choices={[
          ['base', 'Base'],
          ['base-sepolia', 'Base Sepolia (test network, no real money)'],
        ]}
      />
      <PasswordField
        form={form}
        name="privateKey"
        label="Private key"
        hint="64 hexadecimal digits, with or without 0x."
        options={{ onChange: (event) => fillAddress(event.target.value) }}
        what="private key"
        autoComplete="off"
      />
      <TextField
        form={form}
        name="address"
        label="Wallet address"
        hint="The address that belongs to the private key."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="0x…"
        className="font-mono"
      />
      <PasswordField
        form={form}
        name="masterPassword"
        label="Master password"
        hint="You need it to see the private key again. We don’t know it and can’t reset it."
        what="master password"
        autoComplete="new-password"
      />
    </FormDialog>
  )
}
