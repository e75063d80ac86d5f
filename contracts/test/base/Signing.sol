// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Builds} from "./Builds.sol";

/// @dev EIP-712 in plain Solidity, independent of the contracts: a wrong type hash, domain or line of assembly there
/// makes every signature made here invalid. Signatures are compact (EIP-2098).
abstract contract Signing is Builds {
    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        if (value >= low && value <= high) return value;
        return low + value % (high - low + 1);
    }

    function toDigest(string memory name, address verifier, bytes32 structHash) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                block.chainid,
                verifier
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function signWallet(uint256 key, address wallet, bytes memory encoded) internal view returns (bytes32, bytes32) {
        return vm.signCompact(key, toDigest("Bursar AgentWallet", wallet, keccak256(encoded)));
    }

    function signSend(uint256 key, address wallet, address to, uint64 amount, uint64 nonce, uint48 deadline)
        internal
        view
        returns (bytes32, bytes32)
    {
        bytes32 typeHash = keccak256("Send(address to,uint64 amount,uint64 nonce,uint48 deadline)");
        return signWallet(key, wallet, abi.encode(typeHash, to, amount, nonce, deadline));
    }

    function signRotate(
        uint256 key,
        address wallet,
        address newKey,
        uint64 limit,
        uint40 validUntil,
        uint32 expectedEpoch,
        uint48 deadline
    ) internal view returns (bytes32, bytes32) {
        bytes32 typeHash = keccak256(
            "Rotate(address newKey,uint64 limit,uint40 validUntil,uint32 expectedEpoch,uint48 deadline)"
        );
        return signWallet(key, wallet, abi.encode(typeHash, newKey, limit, validUntil, expectedEpoch, deadline));
    }

    function signWithdraw(
        uint256 key,
        address wallet,
        address token,
        address to,
        uint256 amount,
        uint256 ownerNonce,
        uint48 deadline
    ) internal view returns (bytes32, bytes32) {
        bytes32 typeHash = keccak256(
            "Withdraw(address token,address to,uint256 amount,uint256 ownerNonce,uint48 deadline)"
        );
        return signWallet(key, wallet, abi.encode(typeHash, token, to, amount, ownerNonce, deadline));
    }

    function signSetSession(
        uint256 key,
        address wallet,
        address sessionKey,
        uint64 limit,
        uint40 validUntil,
        uint256 ownerNonce,
        uint48 deadline
    ) internal view returns (bytes32, bytes32) {
        bytes32 typeHash = keccak256(
            "SetSession(address sessionKey,uint64 limit,uint40 validUntil,uint256 ownerNonce,uint48 deadline)"
        );
        return signWallet(key, wallet, abi.encode(typeHash, sessionKey, limit, validUntil, ownerNonce, deadline));
    }

    function signRevokeSession(uint256 key, address wallet, uint256 ownerNonce, uint48 deadline)
        internal
        view
        returns (bytes32, bytes32)
    {
        bytes32 typeHash = keccak256("RevokeSession(uint256 ownerNonce,uint48 deadline)");
        return signWallet(key, wallet, abi.encode(typeHash, ownerNonce, deadline));
    }

    function signDisableRotation(uint256 key, address wallet, uint256 ownerNonce, uint48 deadline)
        internal
        view
        returns (bytes32, bytes32)
    {
        bytes32 typeHash = keccak256("DisableRotationAuthority(uint256 ownerNonce,uint48 deadline)");
        return signWallet(key, wallet, abi.encode(typeHash, ownerNonce, deadline));
    }

    function signReclaimPayout(uint256 key, address wallet, bytes32 payoutId, uint256 ownerNonce, uint48 deadline)
        internal
        view
        returns (bytes32, bytes32)
    {
        bytes32 typeHash = keccak256("ReclaimPayout(bytes32 payoutId,uint256 ownerNonce,uint48 deadline)");
        return signWallet(key, wallet, abi.encode(typeHash, payoutId, ownerNonce, deadline));
    }

    function signClaim(uint256 key, address escrow, bytes32 payoutId, address to, uint64 atLeast, uint48 deadline)
        internal
        view
        returns (bytes32, bytes32)
    {
        bytes32 typeHash = keccak256("Claim(bytes32 payoutId,address to,uint64 atLeast,uint48 deadline)");
        bytes32 hash = keccak256(abi.encode(typeHash, payoutId, to, atLeast, deadline));
        return vm.signCompact(key, toDigest("Bursar PayoutEscrow", escrow, hash));
    }

    function signReclaim(uint256 key, address escrow, bytes32 payoutId, uint64 atLeast, uint48 deadline)
        internal
        view
        returns (bytes32, bytes32)
    {
        bytes32 typeHash = keccak256("Reclaim(bytes32 payoutId,uint64 atLeast,uint48 deadline)");
        bytes32 hash = keccak256(abi.encode(typeHash, payoutId, atLeast, deadline));
        return vm.signCompact(key, toDigest("Bursar PayoutEscrow", escrow, hash));
    }
}
