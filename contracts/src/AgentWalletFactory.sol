// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

import {AgentWallet} from "./AgentWallet.sol";
import {PayoutEscrow} from "./PayoutEscrow.sol";
import {Provider} from "./Provider.sol";

/// @title Creates agent wallets at addresses that commit to every parameter.
/// @notice A wallet's address can be computed, shown and funded before the wallet exists. Anyone may create the wallet,
/// but only with the parameters that its address commits to.
contract AgentWalletFactory {
    /// @notice The contract that every wallet is a clone of.
    AgentWallet public immutable IMPLEMENTATION;
    /// @notice The provider of every wallet that this factory creates.
    Provider public immutable PROVIDER;

    event WalletCreated(address indexed wallet, address indexed owner);

    error ZeroOwner();

    /// @notice The owner must be a key: wallets verify owner signatures by ECDSA only, which contracts cannot produce.
    error OwnerHasCode(address owner);

    constructor(IERC20 usdc, PayoutEscrow escrow, Provider provider) {
        IMPLEMENTATION = new AgentWallet(usdc, escrow, address(this));
        PROVIDER = provider;
    }

    /// @notice Create the wallet and open its first session. If the wallet exists, only return its address. Anyone may
    /// call.
    /// @dev `validUntil` may be in the past: the owner must always be able to withdraw money sent to the address
    /// earlier.
    /// @param owner A key, so an address without code.
    /// @param salt Any value; distinguishes wallets of one owner.
    /// @param limit Micro-USDC, at most the wallet's `MAX_GRANT`.
    /// @param purchaseAllowance The part of the limit that purchases may use, in whole USDC.
    /// @param validUntil Unix seconds, inclusive, at most the wallet's `MAX_VALIDITY` from now.
    function createWallet(
        address owner,
        bytes32 salt,
        address sessionKey,
        uint64 limit,
        uint16 purchaseAllowance,
        uint40 validUntil
    ) external returns (address wallet) {
        bytes memory arguments = abi.encodePacked(owner, PROVIDER);
        bytes32 fullSalt = keccak256(abi.encode(owner, salt, sessionKey, limit, purchaseAllowance, validUntil));
        wallet = Clones.predictDeterministicAddressWithImmutableArgs(address(IMPLEMENTATION), arguments, fullSalt);
        if (wallet.code.length != 0) return wallet;
        if (owner == address(0)) revert ZeroOwner();
        if (owner.code.length != 0) revert OwnerHasCode(owner);

        emit WalletCreated(wallet, owner);

        Clones.cloneDeterministicWithImmutableArgs(address(IMPLEMENTATION), arguments, fullSalt);
        AgentWallet(wallet).initialize(sessionKey, limit, purchaseAllowance, validUntil);
    }

    /// @notice The address at which `createWallet` with the same parameters creates the wallet.
    function walletAddress(
        address owner,
        bytes32 salt,
        address sessionKey,
        uint64 limit,
        uint16 purchaseAllowance,
        uint40 validUntil
    ) external view returns (address) {
        return Clones.predictDeterministicAddressWithImmutableArgs(
            address(IMPLEMENTATION),
            abi.encodePacked(owner, PROVIDER),
            keccak256(abi.encode(owner, salt, sessionKey, limit, purchaseAllowance, validUntil))
        );
    }
}
