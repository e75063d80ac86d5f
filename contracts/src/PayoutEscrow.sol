// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

import {PayoutVault} from "./PayoutVault.sol";
import {TypedData} from "./TypedData.sol";

/// @title Claimable payouts, each at a separate address.
/// @notice A plain USDC transfer to `payoutAddress(terms)` funds a payout. From there the money can only go to an
/// address that the claim key signs before expiry, or back to the payer. There is no owner, no fee and no upgrade.
/// @dev Stores nothing: the address is derived from the terms, and every caller passes the terms. Claim and reclaim can
/// be repeated, so that money that arrives later follows the same rules. A sweep of an empty payout reverts.
contract PayoutEscrow {
    struct Terms {
        /// @dev Receives the money on reclaim; usually the wallet that funds the payout.
        address payer;
        /// @dev Signs `Claim`, which names the recipient, until `expiry`.
        address claimKey;
        /// @dev Signs `Reclaim`, which returns the money to `payer` at any time.
        address reclaimKey;
        /// @dev Micro-USDC promised. Only identifies the payout; a sweep takes the whole balance.
        uint64 amount;
        /// @dev Unix seconds. Claims are accepted strictly before it; from this second on, anyone may reclaim.
        uint48 expiry;
    }

    bytes32 public constant CLAIM_TYPEHASH =
        keccak256("Claim(bytes32 payoutId,address to,uint64 atLeast,uint48 deadline)");
    bytes32 public constant RECLAIM_TYPEHASH = keccak256("Reclaim(bytes32 payoutId,uint64 atLeast,uint48 deadline)");
    bytes32 private constant NAME_HASH = keccak256("Bursar PayoutEscrow");

    IERC20 public immutable USDC;
    /// @notice The contract that every payout is a minimal clone of.
    PayoutVault public immutable VAULT;

    /// @notice Anyone may announce any terms, so the event does not prove that the payout is funded.
    event PayoutAnnounced(
        bytes32 indexed payoutId,
        address indexed payer,
        address claimKey,
        address reclaimKey,
        uint64 amount,
        uint48 expiry
    );

    /// @notice Claims are accepted before `expiry` only; both values are unix seconds.
    error PayoutExpired(uint48 expiry, uint256 timestamp);

    /// @notice The signature was valid until `deadline` (unix seconds, inclusive).
    error SignatureExpired(uint48 deadline, uint256 timestamp);

    /// @notice `signer` signed, but the terms name `expected`.
    error WrongSigner(address signer, address expected);

    /// @notice A claim may not pay the zero address, the payer, the payout itself, this contract or USDC.
    error InvalidRecipient(address to);

    constructor(IERC20 usdc) {
        USDC = usdc;
        VAULT = new PayoutVault(usdc, address(this));
    }

    /// @notice Record the terms on the chain, so that the payer can find and reclaim the payout from chain data alone.
    function announce(Terms calldata terms) external {
        emit PayoutAnnounced(payoutId(terms), terms.payer, terms.claimKey, terms.reclaimKey, terms.amount, terms.expiry);
    }

    /// @notice Pay the whole payout to `to`, as signed by the claim key. Anyone may submit.
    /// @param to Part of the signed message, so a front-runner can only pay the same recipient.
    /// @param atLeast Micro-USDC, inclusive: revert if the payout holds less (zero counts as one).
    /// @param deadline Unix seconds, inclusive.
    function claim(Terms calldata terms, address to, uint64 atLeast, uint48 deadline, bytes32 r, bytes32 vs) external {
        if (block.timestamp >= terms.expiry) revert PayoutExpired(terms.expiry, block.timestamp);
        bytes32 id = payoutId(terms);
        _checkSigner(terms.claimKey, _hashClaim(id, to, atLeast, deadline), deadline, r, vs);
        address vault = _vaultAddress(id);
        // A transfer to the payer must always mean a reclaim. The other addresses would lose the money or keep it here.
        if (to == address(0) || to == terms.payer || to == vault || to == address(this) || to == address(USDC)) {
            revert InvalidRecipient(to);
        }

        _sweep(id, vault, to, atLeast);
    }

    /// @notice Return the whole payout to its payer. Requires a signature of the reclaim key, unless the payer calls or
    /// the payout has expired; deadline and signature are then ignored.
    /// @param atLeast Micro-USDC, inclusive: revert if the payout holds less (zero counts as one).
    /// @param deadline Unix seconds, inclusive.
    function reclaim(Terms calldata terms, uint64 atLeast, uint48 deadline, bytes32 r, bytes32 vs) external {
        bytes32 id = payoutId(terms);
        if (msg.sender != terms.payer && block.timestamp < terms.expiry) {
            _checkSigner(terms.reclaimKey, _hashReclaim(id, atLeast, deadline), deadline, r, vs);
        }

        _sweep(id, _vaultAddress(id), terms.payer, atLeast);
    }

    /// @notice The address to fund. Funding works before anything is deployed there.
    function payoutAddress(Terms calldata terms) external view returns (address) {
        return _vaultAddress(payoutId(terms));
    }

    /// @notice The payout's identity, also the CREATE2 salt of its address.
    function payoutId(Terms calldata terms) public pure returns (bytes32) {
        return keccak256(abi.encode(terms));
    }

    function _checkSigner(address expected, bytes32 structHash, uint48 deadline, bytes32 r, bytes32 vs) private view {
        if (block.timestamp > deadline) revert SignatureExpired(deadline, block.timestamp);
        address signer = ECDSA.recover(_digest(structHash), r, vs);
        if (signer != expected) revert WrongSigner(signer, expected);
    }

    function _sweep(bytes32 id, address vault, address to, uint64 atLeast) private {
        // An earlier sweep may have deployed the clone. If this sweep reverts, so does its deployment.
        if (vault.code.length == 0) Clones.cloneDeterministic(address(VAULT), id);
        PayoutVault(vault).sweep(to, atLeast);
    }

    function _vaultAddress(bytes32 id) private view returns (address) {
        return Clones.predictDeterministicAddress(address(VAULT), id);
    }

    // EIP-712. Internal, so that a test contract can compare the hashes with other implementations.

    function _digest(bytes32 structHash) internal view returns (bytes32) {
        return TypedData.digest(NAME_HASH, structHash);
    }

    function _hashClaim(bytes32 id, address to, uint64 atLeast, uint48 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(CLAIM_TYPEHASH, id, to, atLeast, deadline));
    }

    function _hashReclaim(bytes32 id, uint64 atLeast, uint48 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(RECLAIM_TYPEHASH, id, atLeast, deadline));
    }
}
