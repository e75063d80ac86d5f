// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TypedData} from "./TypedData.sol";

/// @title The EIP-712 messages that an agent wallet accepts, in the domain "Bursar AgentWallet", version 1.
/// @dev Hashing is internal, so that a test contract can compare it with other implementations.
abstract contract WalletMessages {
    bytes32 public constant SEND_TYPEHASH = keccak256("Send(address to,uint64 amount,uint64 nonce,uint48 deadline)");
    bytes32 public constant ROTATE_TYPEHASH = keccak256(
        "Rotate(address newKey,uint64 limit,uint16 purchaseAllowance,uint40 validUntil,uint32 expectedEpoch,uint48 deadline)"
    );
    bytes32 public constant WITHDRAW_TYPEHASH =
        keccak256("Withdraw(address token,address to,uint256 amount,uint256 ownerNonce,uint48 deadline)");
    bytes32 public constant SET_SESSION_TYPEHASH = keccak256(
        "SetSession(address sessionKey,uint64 limit,uint16 purchaseAllowance,uint40 validUntil,uint256 ownerNonce,uint48 deadline)"
    );
    bytes32 public constant REVOKE_SESSION_TYPEHASH = keccak256("RevokeSession(uint256 ownerNonce,uint48 deadline)");
    bytes32 public constant DISABLE_ROTATION_AUTHORITY_TYPEHASH =
        keccak256("DisableRotationAuthority(uint256 ownerNonce,uint48 deadline)");
    bytes32 public constant RECLAIM_PAYOUT_TYPEHASH =
        keccak256("ReclaimPayout(bytes32 payoutId,uint256 ownerNonce,uint48 deadline)");
    bytes32 private constant NAME_HASH = keccak256("Bursar AgentWallet");

    function _digest(bytes32 structHash) internal view returns (bytes32) {
        return TypedData.digest(NAME_HASH, structHash);
    }

    /// @dev Assembly saves gas on every send. In plain Solidity:
    /// `keccak256(abi.encode(SEND_TYPEHASH, to, amount, nonce, deadline))`.
    function _hashSend(address to, uint64 amount, uint64 nonce, uint48 deadline) internal pure returns (bytes32 hash) {
        bytes32 typeHash = SEND_TYPEHASH;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, typeHash)
            mstore(add(free, 0x20), shr(96, shl(96, to)))
            mstore(add(free, 0x40), and(amount, 0xffffffffffffffff))
            mstore(add(free, 0x60), and(nonce, 0xffffffffffffffff))
            mstore(add(free, 0x80), and(deadline, 0xffffffffffff))
            hash := keccak256(free, 0xa0)
        }
    }

    function _hashRotate(
        address newKey,
        uint64 limit,
        uint16 purchaseAllowance,
        uint40 validUntil,
        uint32 expectedEpoch,
        uint48 deadline
    ) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(ROTATE_TYPEHASH, newKey, limit, purchaseAllowance, validUntil, expectedEpoch, deadline)
        );
    }

    function _hashWithdraw(address token, address to, uint256 amount, uint256 ownerNonce, uint48 deadline)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(WITHDRAW_TYPEHASH, token, to, amount, ownerNonce, deadline));
    }

    function _hashSetSession(
        address sessionKey,
        uint64 limit,
        uint16 purchaseAllowance,
        uint40 validUntil,
        uint256 ownerNonce,
        uint48 deadline
    ) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(SET_SESSION_TYPEHASH, sessionKey, limit, purchaseAllowance, validUntil, ownerNonce, deadline)
        );
    }

    function _hashRevokeSession(uint256 ownerNonce, uint48 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(REVOKE_SESSION_TYPEHASH, ownerNonce, deadline));
    }

    function _hashDisableRotationAuthority(uint256 ownerNonce, uint48 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(DISABLE_ROTATION_AUTHORITY_TYPEHASH, ownerNonce, deadline));
    }

    function _hashReclaimPayout(bytes32 payoutId, uint256 ownerNonce, uint48 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(RECLAIM_PAYOUT_TYPEHASH, payoutId, ownerNonce, deadline));
    }
}
