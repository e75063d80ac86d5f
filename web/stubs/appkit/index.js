// Replaces @reown/appkit, which WalletConnect's provider loads only to show its own QR dialog. We show our own.
export {}
