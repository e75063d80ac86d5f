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
        uint16 purchaseAllowance,
        uint40 validUntil,
        uint32 expectedEpoch,
        uint48 deadline
    ) internal view returns (bytes32, bytes32) {
        bytes memory encoded = abi.encode(
            keccak256(
                "Rotate(address newKey,uint64 limit,uint16 purchaseAllowance,uint40 validUntil,uint32 expectedEpoch,uint48 deadline)"
            ),
            newKey,
            limit,
            purchaseAllowance,
            validUntil,
            expectedEpoch,
            deadline
        );
        return signWallet(key, wallet, encoded);
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
        uint16 purchaseAllowance,
        uint40 validUntil,
        uint256 ownerNonce,
        uint48 deadline
    ) internal view returns (bytes32, bytes32) {
        bytes memory encoded = abi.encode(
            keccak256(
                "SetSession(address sessionKey,uint64 limit,uint16 purchaseAllowance,uint40 validUntil,uint256 ownerNonce,uint48 deadline)"
            ),
            sessionKey,
            limit,
            purchaseAllowance,
            validUntil,
            ownerNonce,
            deadline
        );
        return signWallet(key, wallet, encoded);
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

    // Purchases: authorisations of USDC

    struct Buy {
        address to;
        uint64 value;
        uint48 validBefore;
        uint8 class;
        uint32 number;
    }

    function purchaseNonce(uint32 epoch, Buy memory buy) internal pure returns (bytes32) {
        return bytes32(abi.encodePacked(epoch, buy.class, buy.number, bytes23(0)));
    }

    /// @dev USDC's digest of the transfer from `wallet`.
    function purchaseDigest(address usdc, address wallet, uint32 epoch, Buy memory buy) internal view returns (bytes32) {
        bytes32 typeHash = keccak256(
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        bytes32 nonce = purchaseNonce(epoch, buy);
        return usdcDigest(usdc, abi.encode(typeHash, wallet, buy.to, buy.value, 0, buy.validBefore, nonce));
    }

    function usdcDigest(address usdc, bytes memory encoded) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("USD Coin"),
                keccak256("2"),
                block.chainid,
                usdc
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(encoded)));
    }

    /// @dev The 103 bytes that the wallet expects, with `key`'s signature of `digest`.
    function packPurchase(uint256 key, bytes32 digest, Buy memory buy) internal pure returns (bytes memory) {
        (bytes32 r, bytes32 vs) = vm.signCompact(key, digest);
        return abi.encodePacked(buy.to, buy.value, buy.validBefore, buy.class, buy.number, r, vs);
    }
}
