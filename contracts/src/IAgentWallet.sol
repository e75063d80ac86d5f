// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What an agent wallet reports: its state, the log of a send, and every reason to revert.
interface IAgentWallet {
    /// @notice All that an observer needs, taken from a single block.
    struct State {
        uint64 blockNumber;
        /// @dev Unix seconds.
        uint64 timestamp;
        address sessionKey;
        /// @dev Unix seconds, inclusive.
        uint40 validUntil;
        uint32 epoch;
        bool rotationDisabled;
        bool sessionRevoked;
        /// @dev Micro-USDC the session may still send. Purchases do not reduce it.
        uint64 remaining;
        /// @dev Highest nonce used, or the epoch's first nonce if none has been used.
        uint64 top;
        /// @dev Bit i: nonce `top - i` was used.
        uint128 seen;
        /// @dev Micro-USDC held.
        uint256 balance;
        uint256 ownerNonce;
        /// @dev The current UTC day: unix seconds / 1 days.
        uint32 grantDay;
        /// @dev Micro-USDC the provider granted on `grantDay`, net. Above `MAX_GRANT` only after rotations that
        /// replaced a session without raising its budget.
        uint64 grantedToday;
        /// @dev Whole USDC that authorisations of this session may spend in total, in addition to `remaining`.
        uint16 purchaseAllowance;
    }

    /// @notice The only topic is the nonce. USDC's `Transfer` is the next log; the two together prove the payment.
    event Sent(uint256 indexed nonce) anonymous;

    error NotOwner(address caller);
    error NotFactory(address caller);

    /// @notice The signature was valid until `deadline` (unix seconds, inclusive).
    error SignatureExpired(uint48 deadline, uint256 timestamp);

    /// @notice An owner's signature may be submitted at most one day before its deadline (unix seconds).
    error DeadlineTooFar(uint48 deadline, uint256 latest);

    /// @notice The session was valid until `validUntil` (unix seconds, inclusive).
    error SessionExpired(uint40 validUntil, uint256 timestamp);

    /// @notice The nonce or the rotation belongs to a session other than the current one.
    error WrongEpoch(uint32 epoch, uint32 current);

    /// @notice `signer` signed, but only `expected` may do this.
    error WrongSigner(address signer, address expected);

    /// @notice `signer` is not an operator of the provider, or the provider has paused rotations.
    error NotOperator(address signer);

    error InvalidRecipient(address to);
    error InvalidSessionKey(address key);
    error ZeroAmount();

    /// @notice A session of the provider holds at most `MAX_GRANT`, one of the owner less than 2^48, in micro-USDC.
    error LimitTooHigh(uint64 limit, uint64 highest);

    /// @notice The purchase allowance, in whole USDC, is part of the limit, in micro-USDC.
    error PurchaseAllowanceTooHigh(uint16 purchaseAllowance, uint64 limit);

    /// @notice The provider's session would last longer than `MAX_VALIDITY`, in unix seconds.
    error ValidityTooLong(uint40 validUntil, uint256 latest);

    /// @notice With this rotation the provider would have granted `granted` micro-USDC today.
    error DailyGrantExceeded(uint256 granted, uint64 highest);

    /// @notice The owner has disabled rotation permanently.
    error RotationDisabled();

    /// @notice The owner has revoked the session and not set another one.
    error SessionRevoked();
}
